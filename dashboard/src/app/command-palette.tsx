import { Modal, TextInput, useMantineColorScheme } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import classes from "@/app/command-palette.module.css";
import type { Command } from "@/app/commands";
import { commandsFor, matching } from "@/app/commands";
import { listApprovals } from "@/shared/api/approvals";
import { newestExecutions } from "@/shared/api/executions";
import { listManifests } from "@/shared/api/manifests";

export function CommandPalette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} padding={0} size={560} yOffset="12vh" title={null}>
      <Palette onClose={onClose} />
    </Modal>
  );
}

function useCommands(text: string): Command[] {
  const navigate = useNavigate();
  const { toggleColorScheme } = useMantineColorScheme();
  const executions = useQuery(newestExecutions({}, 100)).data?.items ?? [];
  const approvals = useQuery(listApprovals("pending")).data?.items ?? [];
  const manifests = useQuery(listManifests()).data?.items ?? [];
  const go = (to: string, search?: Record<string, string>) => void navigate({ to, search } as never);
  return matching(commandsFor({ text, executions, approvals, manifests, go, toggleColorScheme }), text);
}

function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const commands = useCommands(text);
  const chosen = Math.min(at, commands.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKey = (key: string) => {
    if (key === "ArrowDown") setAt(Math.min(chosen + 1, commands.length - 1));
    else if (key === "ArrowUp") setAt(Math.max(chosen - 1, 0));
    else if (key === "Enter") run(commands[chosen]);
    else return false;
    return true;
  };
  return (
    <>
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        className={classes.field}
        leftSection={<IconSearch size={17} />}
        placeholder="A page, an execution, an approval, a manifest …"
        aria-label="Search and commands"
        aria-controls="commands"
        aria-activedescendant={`command-${chosen}`}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (onKey(event.key)) event.preventDefault();
        }}
      />
      <Commands commands={commands} chosen={chosen} onRun={run} />
    </>
  );
}

function Commands({ commands, chosen, onRun }: { commands: Command[]; chosen: number; onRun: (command: Command) => void }) {
  return (
    <div id="commands" role="listbox" aria-label="Commands" className={classes.list}>
      {commands.length === 0 && <div className={classes.none}>Nothing fits.</div>}
      {commands.map((command, index) => (
        <div
          key={command.id}
          id={`command-${index}`}
          role="option"
          aria-selected={index === chosen}
          className={classes.command}
          ref={index === chosen ? (node) => node?.scrollIntoView({ block: "nearest" }) : undefined}
          onClick={() => onRun(command)}
        >
          <span className={classes.group}>{command.group}</span>
          <span className="clip">{command.label}</span>
          <span className={`${classes.more} clip`}>{command.more}</span>
        </div>
      ))}
    </div>
  );
}
