/** The page's colours in a form that a canvas understands; read again when the theme changes. */
import { onUnmounted, type Ref, ref, watch } from 'vue'
import { preferences } from '../preferences.ts'

export type Colours<Name extends string> = Readonly<Record<Name, string>>

/** Named after the variables in styles.css, without the dashes: `ran`, `failed`, `line`. */
export function useColours<Name extends string>(names: readonly Name[]): Ref<Colours<Name>> {
  const read = () => coloursOf(names)
  const colours = ref(read()) as Ref<Colours<Name>>
  const refresh = () => (colours.value = read())
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', refresh)
  onUnmounted(() => system.removeEventListener('change', refresh))
  watch(() => preferences.theme, refresh, { flush: 'post' })
  return colours
}

function coloursOf<Name extends string>(names: readonly Name[]): Colours<Name> {
  // A variable holds `light-dark(…)`. Only an element that uses it knows which of the two applies.
  const probe = document.createElement('span')
  document.body.append(probe)
  const style = getComputedStyle(probe)
  const colours = names.map((name) => {
    probe.style.color = `var(--${name})`
    return [name, style.color]
  })
  probe.remove()
  return Object.fromEntries(colours) as Colours<Name>
}
