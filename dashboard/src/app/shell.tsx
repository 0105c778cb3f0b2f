import { ActionIcon, AppShell, Burger, Group, Kbd, Tooltip, UnstyledButton } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconKeyboard, IconSearch } from "@tabler/icons-react";
import { Link, Outlet } from "@tanstack/react-router";

import { CommandPalette } from "@/app/command-palette";
import { ConnectionBanner } from "@/app/connection-banner";
import { KeyboardHelp } from "@/app/keyboard-help";
import { Navigation } from "@/app/navigation";
import { SchemeSwitch } from "@/app/scheme-switch";
import classes from "@/app/shell.module.css";
import { Mark } from "@/shared/layout/mark";

export function Shell() {
  const [navOpened, nav] = useDisclosure();
  const [paletteOpened, palette] = useDisclosure();
  const [helpOpened, help] = useDisclosure();
  useHotkeys([
    ["mod+K", palette.toggle],
    ["/", palette.open],
    ["shift+?", help.toggle],
  ]);
  return (
    <AppShell
      header={{ height: 50 }}
      navbar={{ width: 196, breakpoint: "sm", collapsed: { mobile: !navOpened } }}
      classNames={{ header: classes.header, navbar: classes.navbar }}
    >
      <a href="#main" className={classes.skip}>
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="sm" gap="sm" wrap="nowrap">
          <Burger opened={navOpened} onClick={nav.toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
          <Link to="/" className={classes.brand}>
            <Mark />
            <span>Tercet</span>
          </Link>
          <SearchButton onClick={palette.open} />
          <Tooltip label="Keys">
            <ActionIcon onClick={help.open} aria-label="Keyboard shortcuts" visibleFrom="sm">
              <IconKeyboard size={18} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
          <SchemeSwitch />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar>
        <Navigation onLeave={nav.close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <ConnectionBanner />
        <Outlet />
      </AppShell.Main>
      <CommandPalette opened={paletteOpened} onClose={palette.close} />
      <KeyboardHelp opened={helpOpened} onClose={help.close} />
    </AppShell>
  );
}

function SearchButton({ onClick }: { onClick: () => void }) {
  return (
    <UnstyledButton className={classes.search} onClick={onClick} aria-label="Search and commands">
      <IconSearch size={15} stroke={1.8} aria-hidden />
      <span className={classes.searchText}>Go to or do …</span>
      <Kbd size="xs" className={classes.searchKeys}>
        Ctrl K
      </Kbd>
    </UnstyledButton>
  );
}
