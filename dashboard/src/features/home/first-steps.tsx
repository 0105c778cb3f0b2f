import { Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import classes from "@/features/home/home-page.module.css";

/** What a new owner sees: three steps to something that runs. */
export function FirstSteps() {
  return (
    <section className={`panel ${classes.steps}`} aria-label="First steps">
      <Title order={2} size="h4">
        Nothing has run yet
      </Title>
      <ol>
        <li>
          <Link to="/manifests/new" className="link">
            Deploy a manifest
          </Link>
          : the page has one to start from.
        </li>
        <li>
          Send it an event from its page, or with <code>tercet emit NAME --data …</code>.
        </li>
        <li>
          What needs a person’s decision appears in the{" "}
          <Link to="/inbox" className="link">
            inbox
          </Link>{" "}
          by itself.
        </li>
      </ol>
    </section>
  );
}
