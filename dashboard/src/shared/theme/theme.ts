import { createTheme } from "@mantine/core";
import type { MantineColorsTuple } from "@mantine/core";

const iris: MantineColorsTuple = [
  "#f0f2ff",
  "#dfe3fb",
  "#bcc4f2",
  "#97a3e9",
  "#7886e2",
  "#6474de",
  "#5668d9",
  "#4656bf",
  "#3d4cab",
  "#303f97",
];

/** Dark surfaces are tinted blue like the rest; Mantine's own are neutral. */
const dark: MantineColorsTuple = [
  "#e4e8ef",
  "#c3cad6",
  "#9aa5b6",
  "#6b778a",
  "#3b4556",
  "#29313e",
  "#1d2430",
  "#171c26",
  "#11151d",
  "#0b0e14",
];

const FONT = 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", sans-serif';
const MONO = 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace';

export const theme = createTheme({
  colors: { iris, dark },
  primaryColor: "iris",
  primaryShade: { light: 7, dark: 6 },
  fontFamily: FONT,
  fontFamilyMonospace: MONO,
  defaultRadius: "md",
  cursorType: "pointer",
  headings: { fontFamily: FONT, fontWeight: "650" },
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  components: {
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Button: { defaultProps: { size: "xs" } },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    Select: { defaultProps: { size: "xs", checkIconPosition: "right" } },
    TextInput: { defaultProps: { size: "xs" } },
    SegmentedControl: { defaultProps: { size: "xs" } },
    CloseButton: { defaultProps: { "aria-label": "Close" } },
    Checkbox: { defaultProps: { size: "xs" } },
  },
});
