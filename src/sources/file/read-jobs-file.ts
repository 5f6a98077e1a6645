/**
 * Jobs from a file, in YAML or JSON, which YAML contains. Pure: text in; out come the jobs as plain values, each with the
 * place that an error about it points at, and what is no list of jobs.
 */
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml'
import { didYouMean } from '../../core/schedule/did-you-mean.ts'
import { messageOf } from '../../core/unknown-value.ts'
import { fieldOffset, isNode, keyOf, offsetOf, type Place, pairOf, placeOf } from './place-in-text.ts'
import { valuesTrouble } from './plain-values.ts'

export interface FileJob {
  readonly value: unknown
  /** Where a field of it stands; '' is the job itself. */
  readonly at: (field: string) => Place
}

export interface FileTrouble extends Place {
  readonly why: string
  readonly next: string | null
}

export interface JobsFile {
  readonly jobs: readonly FileJob[]
  readonly troubles: readonly FileTrouble[]
}

const forAnchors = 'Leave it out. What only holds anchors begins with x-, such as x-defaults.'
/** A file that was meant for something else must not keep anybody waiting. */
const mostAliases = 1_000

export function readJobsFile(text: string): JobsFile {
  const counter = new LineCounter()
  const given = parseAllDocuments(text, { lineCounter: counter, merge: true, prettyErrors: false })
  const documents = 'empty' in given ? [] : given
  const jobs: FileJob[] = []
  const troubles: FileTrouble[] = []
  let lists = 0
  const trouble = (offset: number, why: string, next: string | null = null) => {
    troubles.push({ ...placeOf(counter, offset), why, next })
  }
  for (const document of documents) {
    const wrong = [...document.errors, ...document.warnings]
    for (const { code, message, pos } of firstOfEachLine(wrong, counter))
      trouble(pos[0], sentence(message), hintFor(code))
    if (wrong.length > 0 || isEmpty(document)) continue
    lists += 1
    for (const node of jobNodes(document, trouble)) {
      const bad = valuesTrouble(node)
      if (bad !== null) trouble(offsetOf(bad.node), bad.why, bad.next)
      else {
        const value = plainValue(document, node, trouble)
        if (value !== undefined)
          jobs.push({ value, at: (field) => placeOf(counter, fieldOffset(node, field)) })
      }
    }
  }
  if (lists === 0 && troubles.length === 0) {
    trouble(0, 'It has no jobs.', 'Write a list under `jobs:`. For none at all, write `jobs: []`.')
  }
  return { jobs, troubles }
}

type Trouble = (offset: number, why: string, next?: string) => void

function isEmpty({ contents }: Document): boolean {
  return contents === null || (isScalar(contents) && contents.value === null)
}

/** A document is `jobs:` with a list, a list, or one job. */
function jobNodes({ contents }: Document, trouble: Trouble): Node[] {
  if (!isNode(contents)) return []
  if (isSeq(contents)) return items(contents)
  const list = pairOf(contents, 'jobs')
  if (list === undefined) {
    if (pairOf(contents, 'name') !== undefined) return [contents]
    const names = isMap(contents) ? contents.items.map(keyOf) : []
    const near = names.find((name) => didYouMean(name, ['jobs']) === 'jobs')
    const how = 'Write a list under `jobs:`, a list, or one job with a `name:`.'
    trouble(
      offsetOf(contents),
      'It is not a list of jobs.',
      near === undefined ? how : 'Did you mean "jobs"?',
    )
    return []
  }
  for (const pair of isMap(contents) ? contents.items : []) {
    const key = keyOf(pair)
    if (key === 'jobs' || key === '$schema' || key.startsWith('x-')) continue
    const at = offsetOf(isNode(pair.key) ? pair.key : contents)
    trouble(at, `"${key}" stands beside jobs, and means nothing there.`, forAnchors)
  }
  if (isSeq(list.value)) return items(list.value)
  const at = isNode(list.value) ? list.value : isNode(list.key) ? list.key : contents
  trouble(
    offsetOf(at),
    'jobs is not a list.',
    'Begin each job with "- name:". For none at all, write `jobs: []`.',
  )
  return []
}

function items(list: { readonly items: readonly unknown[] }): Node[] {
  return list.items.filter(isNode)
}

function plainValue(document: Document, node: Node, trouble: Trouble): unknown {
  try {
    const value: unknown = node.toJS(document, { maxAliasCount: mostAliases })
    return value
  } catch (error) {
    trouble(offsetOf(node), sentence(messageOf(error)))
    return undefined
  }
}

/** Whatever follows on the same line is mostly said because of the first. */
function firstOfEachLine<Wrong extends { readonly pos: readonly [number, number] }>(
  wrong: readonly Wrong[],
  counter: LineCounter,
): Wrong[] {
  const seen = new Set<number>()
  return wrong.filter(({ pos }) => seen.size !== seen.add(placeOf(counter, pos[0]).line).size)
}

/** Most who meet these have written a cron. */
function hintFor(code: string): string | null {
  const reserved = ['BAD_ALIAS', 'BAD_SCALAR_START', 'MULTIPLE_ANCHORS', 'ALIAS_PROPS', 'UNEXPECTED_TOKEN']
  return reserved.includes(code) ? 'If it is a cron, put it in quotes: cron: "*/5 * * * *".' : null
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}
