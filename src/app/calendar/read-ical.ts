/**
 * The events of an iCal file as closed lines: `2026-12-25`, or `2026-12-24 14:00-24:00`. Repeating events are written out
 * for the years ahead, since a holiday may move: whoever wants more imports anew.
 */
import { EvertickError } from '../../core/error.ts'
import { dayMs, dayOfCivil, formatDay } from '../../core/schedule/civil-day.ts'
import { zoneOffsets } from '../../core/schedule/timezone.ts'

export interface ICalSpan {
  /** Events that end before it, or begin after the other, are left out. */
  readonly from: number
  readonly until: number
  /** Of events that name an instant. */
  readonly timezone: string
}

export interface ICalLines {
  readonly closed: readonly string[]
  readonly events: number
}

const mostOccurrences = 5_000
const minuteMs = 60_000

export async function readICal(text: string, span: ICalSpan): Promise<ICalLines> {
  // By whoever imports: a worker never needs it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types name nothing that a bundler finds; these are the parts used
  const { default: ICAL } = (await import('ical.js')) as unknown as ICalModule
  const closed = new Set<string>()
  let events = 0
  try {
    const calendar = new ICAL.Component(ICAL.parse(text))
    for (const component of calendar.getAllSubcomponents('vevent')) {
      const event = new ICAL.Event(component)
      if (event.isRecurrenceException() || component.getFirstPropertyValue('status') === 'CANCELLED') continue
      events += 1
      if (!event.isRecurring()) {
        add(event.startDate, event.endDate)
        continue
      }
      const times = event.iterator()
      for (let seen = 0, at = times.next(); at !== undefined && at !== null; at = times.next(), seen += 1) {
        if (seen >= mostOccurrences || localOf(at) > span.until + dayMs) break
        const { startDate, endDate } = event.getOccurrenceDetails(at)
        add(startDate, endDate)
      }
    }
  } catch (error) {
    if (error instanceof EvertickError) throw error
    throw new EvertickError('invalid_hours', `The iCal file cannot be read: ${messageOf(error)}`, {
      field: 'ical',
      next: 'Give a file that begins with BEGIN:VCALENDAR.',
      cause: error,
    })
  }
  return { closed: [...closed].sort(), events }

  function add(start: ICalTime, end: ICalTime): void {
    const [from, until] = [localOf(start), localOf(end)]
    const ends = until > from ? until : start.isDate ? from + dayMs : until
    if (ends <= span.from || from >= span.until) return
    for (const line of linesOf(from, ends)) closed.add(line)
  }

  /** On the calendar's clock, in milliseconds as if that were UTC. */
  function localOf(time: ICalTime): number {
    const written =
      dayOfCivil(time.year, time.month, time.day) * dayMs +
      (time.isDate ? 0 : ((time.hour * 60 + time.minute) * 60 + time.second) * 1_000)
    if (time.isDate || time.zone?.tzid === undefined || time.zone.tzid === 'floating') return written
    const instant = time.toUnixTime() * 1_000
    return instant + zoneOffsets(span.timezone).segmentAt(instant).offsetMs
  }
}

interface ICalComponent {
  getAllSubcomponents(name: string): ICalComponent[]
  getFirstPropertyValue(name: string): unknown
}

interface ICalEvent {
  readonly startDate: ICalTime
  readonly endDate: ICalTime
  isRecurring(): boolean
  isRecurrenceException(): boolean
  iterator(): { next(): ICalTime | null | undefined }
  getOccurrenceDetails(at: ICalTime): Pick<ICalEvent, 'startDate' | 'endDate'>
}

interface ICalModule {
  readonly default: {
    parse(text: string): unknown
    readonly Component: new (parsed: unknown) => ICalComponent
    readonly Event: new (component: ICalComponent) => ICalEvent
  }
}

interface ICalTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly isDate: boolean
  readonly zone?: { readonly tzid?: string } | null
  toUnixTime(): number
}

/** Local times, from and until; a line is of whole minutes, and never shorter than the event. */
function linesOf(from: number, until: number): string[] {
  const [begin, end] = [Math.floor(from / minuteMs) * minuteMs, Math.ceil(until / minuteMs) * minuteMs]
  const [first, last] = [Math.ceil(begin / dayMs), Math.floor(end / dayMs)]
  if (last < first) return end > begin ? [`${formatDay(last)} ${clock(begin)}-${clock(end)}`] : []
  return [
    ...(begin < first * dayMs ? [`${formatDay(first - 1)} ${clock(begin)}-24:00`] : []),
    ...(last > first
      ? [last - first === 1 ? formatDay(first) : `${formatDay(first)}..${formatDay(last - 1)}`]
      : []),
    ...(end > last * dayMs ? [`${formatDay(last)} 00:00-${clock(end)}`] : []),
  ]
}

function clock(local: number): string {
  const minute = Math.floor((local - Math.floor(local / dayMs) * dayMs) / minuteMs)
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
