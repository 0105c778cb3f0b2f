import { Button, FileButton } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";

import { ProblemList } from "@/features/manifests/problem-list";
import { STARTER } from "@/features/manifests/starter";
import type { Problem } from "@/shared/api/api-error";
import { ApiError } from "@/shared/api/api-error";
import { useDeploy } from "@/shared/api/manifests";
import { Crumb } from "@/shared/layout/crumb";
import { Page } from "@/shared/layout/page";
import { say, sayError } from "@/shared/states/notice";
import { LoadingRows } from "@/shared/states/states";

const SourceEditor = lazy(() => import("@/features/manifests/source-editor"));

/** Write, paste, drop or open a manifest; its problems appear where they are. */
export function NewManifestPage({ onDeployed }: { onDeployed: (name: string) => void }) {
  const [source, setSource] = useState(STARTER);
  const [goTo, setGoTo] = useState<Problem | null>(null);
  const deploy = useDeploy();
  const problems = deploy.error instanceof ApiError ? deploy.error.detail : [];
  const send = () =>
    deploy.mutate(source, {
      onSuccess: (manifest) => {
        say(`${manifest.name} is in force, revision ${manifest.revision}.`);
        onDeployed(manifest.name);
      },
      onError: (error) => {
        if (!(error instanceof ApiError && error.detail.length > 0)) sayError(error);
      },
    });
  const open = (file: File | null) => void file?.text().then(setSource).catch(sayError);
  return (
    <Page
      title="Deploy a manifest"
      above={<Crumb to="/manifests">Manifests</Crumb>}
      actions={
        <>
          <FileButton onChange={open} accept=".yaml,.yml">
            {(props) => (
              <Button variant="default" leftSection={<IconUpload size={14} />} {...props}>
                Open a file
              </Button>
            )}
          </FileButton>
          <Button loading={deploy.isPending} disabled={source.trim() === ""} onClick={send}>
            Check and deploy
          </Button>
        </>
      }
    >
      <ProblemList problems={problems} onProblem={setGoTo} />
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
