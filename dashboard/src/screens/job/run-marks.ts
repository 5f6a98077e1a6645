/** A run as a chart has it. */
export interface ChartedRun {
  readonly id: string
  readonly state: string
  readonly startedAt: string
  readonly value: number
}

/** How a chart of runs draws one: a colour and a shape for how it ended. */
export interface RunMark {
  readonly colour: 'ran' | 'failed' | 'faint'
  readonly width: number
  readonly draw: (path: Path2D, x: number, y: number, size: number) => void
}

export const runMarks: Readonly<Record<string, RunMark>> = {
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
