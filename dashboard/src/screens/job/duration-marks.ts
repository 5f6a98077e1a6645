/** How the chart of durations draws a run: a colour and a shape for how it ended. */
export interface DurationMark {
  readonly colour: 'ran' | 'failed' | 'faint'
  readonly width: number
  readonly draw: (path: Path2D, x: number, y: number, size: number) => void
}

export const durationMarks: Readonly<Record<string, DurationMark>> = {
  completed: {
    colour: 'ran',
    width: 6.5,
    // A line of zero length with round ends is a dot.
    draw: (path, x, y) => {
      path.moveTo(x, y)
      path.lineTo(x, y)
    },
  },
  failed: {
    colour: 'failed',
    width: 1.8,
    draw: (path, x, y, size) => {
      path.moveTo(x - size, y - size)
      path.lineTo(x + size, y + size)
      path.moveTo(x + size, y - size)
      path.lineTo(x - size, y + size)
    },
  },
  cancelled: {
    colour: 'faint',
    width: 1.5,
    draw: (path, x, y, size) => path.rect(x - size, y - size, 2 * size, 2 * size),
  },
}
