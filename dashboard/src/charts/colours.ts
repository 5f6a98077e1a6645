/** The colours of the page as a canvas takes them; read again when the theme changes. */
import { onUnmounted, type Ref, ref, watch } from 'vue'
import { preferences } from '../preferences.ts'

export type Colours<Name extends string> = Readonly<Record<Name, string>>

/** By the names of the variables in styles.css, without their dashes: `ran`, `failed`, `line`. */
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
  // A variable says `light-dark(…)`; only what is drawn with it knows which of the two.
  const probe = document.createElement('span')
  document.body.append(probe)
  const style = getComputedStyle(probe)
  const found = names.map((name) => {
    probe.style.color = `var(--${name})`
    return [name, style.color]
  })
  probe.remove()
  return Object.fromEntries(found) as Colours<Name>
}
