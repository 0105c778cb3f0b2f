import type { Approval } from "@/shared/api/wire";

/** The oldest deadline first; what has none comes after, the oldest first. */
export function byDeadline(approvals: readonly Approval[]): Approval[] {
  return [...approvals].sort((a, b) => {
    if (a.expires_at !== null && b.expires_at !== null) return a.expires_at.localeCompare(b.expires_at);
    if (a.expires_at !== null || b.expires_at !== null) return a.expires_at === null ? 1 : -1;
    return a.created_at.localeCompare(b.created_at);
  });
}
