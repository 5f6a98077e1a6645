import { describeStore } from './conformance.ts'
import { openFile, openMemory } from './sqlite-store.ts'

describeStore('sqlite, in a file', openFile)
describeStore('sqlite, in memory', openMemory)
