import { fakeClock, type FakeClock } from '@berth/clock/testing'
import type { Terminal } from '../src/cli/terminal.ts'

/** A terminal that remembers what was written to it. */
export interface TestTerminal extends Terminal {
  readonly clock: FakeClock
  /** Tests may change these between commands. */
  columns: number
  tableColumns: number
  output(): string
  notes(): string
}

/** A terminal without colour, 80 columns wide, whose files are given. */
export function testTerminal(files: Readonly<Record<string, string>> = {}): TestTerminal {
  let output = ''
  let notes = ''
  const readFile = async (path: string): Promise<string> => {
    const text = files[path]
    if (text === undefined) throw new Error('no such file or directory')
    return text
  }
  return {
    out: (text) => void (output += text),
    clear: () => undefined,
    note: (text) => void (notes += text),
    columns: 80,
    tableColumns: Infinity,
    hasColor: false,
    clock: fakeClock(),
    random: () => 0,
    readFile,
    async *readChunks(path) {
      yield Buffer.from(await readFile(path))
    },
    output: () => output,
    notes: () => notes,
  }
}
