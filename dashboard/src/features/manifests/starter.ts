/** Something small that deploys as it is: an event, a person, an end. */
export const STARTER = `name: purchase-review
description: A person looks at each purchase before it is ordered.

events:
  - name: purchase.requested
    description: Somebody wants to buy something; emitted from outside.
  - name: purchase.approved
    description: The purchase is fine (final).
  - name: purchase.refused
    description: The purchase is not fine (final).

humans:
  - name: review-purchase
    trigger:
      event: purchase.requested
    title: "Buy {{ item }}?"
    summary: [item, price_usd]
    editable: [note]
    timeout: 7d
    emits:
      - event: purchase.approved
        on: approve
        carry: true
      - event: purchase.refused
        on: reject
        carry: true
      - event: purchase.refused
        on: timeout
`;
