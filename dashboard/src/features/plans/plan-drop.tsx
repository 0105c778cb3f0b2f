import { Alert, Button, FileButton, Loader, Text } from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import type { DragEvent } from "react";
import { useState } from "react";

import classes from "@/features/plans/plans-page.module.css";
import { ApiError } from "@/shared/api/api-error";
import type { PlanSummary } from "@/shared/api/plans";
import { useImportPlan } from "@/shared/api/plans";

const ACCEPTED = ".zip,.json,.csv,application/zip,application/json,text/csv";

/** Takes a file by drop or by choice, and sends it as it is: the server knows the formats. */
export function PlanDrop({ onImported }: { onImported: (plan: PlanSummary) => void }) {
  const [isOver, setOver] = useState(false);
  const send = useImportPlan();
  const take = (file: File | null | undefined) => {
    if (file != null && !send.isPending) send.mutate(file, { onSuccess: onImported });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  return (
    <section
      className={classes.drop}
      aria-label="Import a plan"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {send.isPending ? <Loader size={22} aria-label="Importing" /> : <IconFileUpload size={24} stroke={1.5} aria-hidden />}
      <Text size="sm">Drop a PlanExe run (zip), a plan as JSON, or a CSV here</Text>
      <FileButton accept={ACCEPTED} onChange={take} disabled={send.isPending}>
        {(props) => (
          <Button variant="default" {...props}>
            Choose a file
          </Button>
        )}
      </FileButton>
      {send.error && (
        <Alert color="red" variant="light" p="xs" role="alert" className={classes.refused}>
          {send.error.message}
          {send.error instanceof ApiError && send.error.hint !== null && <div className="dim">{send.error.hint}</div>}
        </Alert>
      )}
    </section>
  );
}
