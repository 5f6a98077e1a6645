/** Where each step of a flow stands: dagre puts parents before children, and crosses as few edges as it can. */
import { type EdgeLabel, Graph, type GraphLabel, layout, type NodeLabel } from '@dagrejs/dagre'
import type { FlowStep } from './flow-answers.ts'

export const nodeSize = { width: 190, height: 46 } as const

export interface Drawn {
  readonly width: number
  readonly height: number
  /** The upper left corner, by name. */
  readonly places: ReadonlyMap<string, { readonly x: number; readonly y: number }>
  readonly edges: readonly { readonly from: string; readonly to: string; readonly path: string }[]
}

type Shape = Pick<FlowStep, 'name' | 'after'>

export function drawFlow(steps: readonly Shape[], down: boolean): Drawn {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>()
  graph.setGraph({ rankdir: down ? 'TB' : 'LR', nodesep: 14, ranksep: 44, marginx: 2, marginy: 2 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { name } of steps) graph.setNode(name, { ...nodeSize })
  for (const { name, after } of steps) for (const parent of after) graph.setEdge(parent, name)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  const places = new Map(
    steps.map(({ name }) => {
      const { x = 0, y = 0 } = graph.node(name)
      return [name, { x: x - nodeSize.width / 2, y: y - nodeSize.height / 2 }]
    }),
  )
  const edges = graph
    .edges()
    .map(({ v, w }) => ({ from: v, to: w, path: curve(graph.edge(v, w).points ?? [], down) }))
  return { width, height, places, edges }
}

interface Point {
  readonly x: number
  readonly y: number
}

/** Through the points that keep it clear of other steps, leaving each along the direction of the flow. */
function curve(points: readonly Point[], down: boolean): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  let path = `M${at(first)}`
  let last = first
  for (const point of rest) {
    const middle = down ? (last.y + point.y) / 2 : (last.x + point.x) / 2
    const leave = down ? { x: last.x, y: middle } : { x: middle, y: last.y }
    const arrive = down ? { x: point.x, y: middle } : { x: middle, y: point.y }
    path += `C${at(leave)} ${at(arrive)} ${at(point)}`
    last = point
  }
  return path
}

function at({ x, y }: Point): string {
  return `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`
}
