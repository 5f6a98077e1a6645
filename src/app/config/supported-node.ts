/** Imported before all else by the library: an old Node gets a sentence, and not the first thing that it does not know. */
import { tooOldNode } from '../../core/node-version.ts'

const tooOld = tooOldNode(process.versions.node)
if (tooOld !== null) throw new Error(`${tooOld} Install a newer one from https://nodejs.org.`)
