import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

/** The input that a process runs, in a file that its supervisor reads while the process does not return. */
export interface CurrentInput {
  /** Notes the next input. */
  readonly write: (input: Uint8Array) => void
  readonly close: () => void
}

const HEADER_BYTES = 8

/** Opens the file for the process that runs the inputs. */
export function openCurrentInput(path: string): CurrentInput {
  const file = openSync(path, 'w')
  let count = 0
  return {
    write(input) {
      const record = Buffer.alloc(HEADER_BYTES + input.length)
      record.writeUInt32LE(++count)
      record.writeUInt32LE(input.length, 4)
      record.set(input, HEADER_BYTES)
      writeSync(file, record, 0, record.length, 0)
    },
    close: () => closeSync(file),
  }
}

/** Returns the current input and how many there were; none before the first. */
export function readCurrentInput(path: string): { readonly count: number; readonly input: Uint8Array } {
  const record = readFileSync(path)
  if (record.length < HEADER_BYTES) return { count: 0, input: new Uint8Array() }
  const length = record.readUInt32LE(4)
  return { count: record.readUInt32LE(0), input: Uint8Array.from(record.subarray(HEADER_BYTES, HEADER_BYTES + length)) }
}
