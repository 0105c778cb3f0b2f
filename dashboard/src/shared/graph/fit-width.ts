const MARGIN = 24;
const LEAST_ZOOM = 0.55;
const LEAST_HEIGHT = 320;
const MOST_HEIGHT = 1_700;

export interface Fit {
  height: number;
  view: { x: number; y: number; zoom: number };
}

/** Shows the whole width as long as the text stays readable, and grows as high as that needs. */
export function fitWidth(layout: { width: number; height: number }, width: number): Fit {
  const zoom = Math.min(1, Math.max(LEAST_ZOOM, (width - 2 * MARGIN) / layout.width));
  const height = Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, layout.height * zoom + 2 * MARGIN));
  return { height, view: { x: (width - layout.width * zoom) / 2, y: MARGIN, zoom } };
}
