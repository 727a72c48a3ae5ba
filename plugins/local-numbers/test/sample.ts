import { join } from 'node:path'
import type { RunResourceSourceOptions } from '@berth/plugin-api/testing'

/** A file with the number 12. */
export const seatsFile: string = join(import.meta.dirname, 'seats.txt')
const nodes = [{ metadata: { name: 'node-a' } }]

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'file' | 'command', RunResourceSourceOptions>> = {
  file: { args: { path: seatsFile }, nodes },
  command: { args: { command: ['/bin/echo', '12'] }, nodes },
}
