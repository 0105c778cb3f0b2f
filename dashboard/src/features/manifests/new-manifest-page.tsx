import { Button, FileButton, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconUpload } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";

import { ProblemList } from "@/features/manifests/problem-list";
import { STARTER } from "@/features/manifests/starter";
import type { Problem } from "@/shared/api/api-error";
import { ApiError } from "@/shared/api/api-error";
import { checkOf, useDeploy } from "@/shared/api/manifests";
import { Crumb } from "@/shared/layout/crumb";
import { Page } from "@/shared/layout/page";
import { say, sayError } from "@/shared/states/notice";
import { LoadingRows } from "@/shared/states/states";

const SourceEditor = lazy(() => import("@/features/manifests/source-editor"));

const CHECK_AFTER_MS = 500;

/** What the server says about a source once the writer pauses. */
function useProblems(source: string): { problems: readonly Problem[]; isChecking: boolean } {
  const [paused] = useDebouncedValue(source, CHECK_AFTER_MS);
  const check = useQuery({ ...checkOf(paused), enabled: paused.trim() !== "", placeholderData: keepPreviousData });
  return { problems: check.data ?? [], isChecking: check.isFetching || paused !== source };
}

function OpenFile({ onFile }: { onFile: (file: File | null) => void }) {
  return (
    <FileButton onChange={onFile} accept=".yaml,.yml">
      {(props) => (
        <Button variant="default" leftSection={<IconUpload size={14} />} {...props}>
          Open a file
        </Button>
      )}
    </FileButton>
  );
}

/** Problems with a place stand beside the editor already. */
function sayUnlessShown(error: Error): void {
  if (!(error instanceof ApiError && error.detail.length > 0)) sayError(error);
}

function stateOf(isChecking: boolean, problems: readonly Problem[]): string {
  if (isChecking) return "Checking …";
  return problems.length === 0 ? "Nothing is wrong with it." : `${problems.length} to look at.`;
}

/** Write, paste, drop or open a manifest; its problems appear where they are, while one writes. */
export function NewManifestPage({ onDeployed }: { onDeployed: (name: string) => void }) {
  const [source, setSource] = useState(STARTER);
  const [goTo, setGoTo] = useState<Problem | null>(null);
  const deploy = useDeploy();
  const { problems, isChecking } = useProblems(source);
  const send = () =>
    deploy.mutate(source, {
      onSuccess: (manifest) => {
        say(`${manifest.name} is in force, revision ${manifest.revision}.`);
        onDeployed(manifest.name);
      },
      onError: sayUnlessShown,
    });
  const open = (file: File | null) => void file?.text().then(setSource).catch(sayError);
  return (
    <Page
      title="Deploy a manifest"
      above={<Crumb to="/manifests">Manifests</Crumb>}
      actions={
        <>
          <OpenFile onFile={open} />
          <Button loading={deploy.isPending} disabled={source.trim() === ""} onClick={send}>
            Check and deploy
          </Button>
        </>
      }
    >
      <ProblemList problems={problems} onProblem={setGoTo} />
      <Text size="xs" c="dimmed" role="status">
        {stateOf(isChecking, problems)}
      </Text>
      <div
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          open(event.dataTransfer.files[0] ?? null);
        }}
      >
        <Suspense fallback={<LoadingRows rows={12} height={16} />}>
          <SourceEditor source={source} problems={problems} onChange={setSource} goTo={goTo} />
        </Suspense>
      </div>
    </Page>
  );
}
