/** Instants of a history. */

/** Time since the start: "0:07.412", "1:02:03.004". */
export function sinceStart(ms: number): string {
  const whole = Math.floor(ms)
  const hours = Math.floor(whole / 3_600_000)
  const minutes = Math.floor(whole / 60_000) % 60
  const rest = `${two(Math.floor(whole / 1_000) % 60)}.${String(whole % 1_000).padStart(3, '0')}`
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${two(minutes)}:${rest}`
}

/** As ticks are told: "13:57:08.219", UTC. */
export function clockTime(instant: number): string {
  return new Date(instant).toISOString().slice(11, 23)
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
