import { open } from 'node:fs/promises'
import type { Target } from './targets.ts'

const MAGIC = '\u007FELF'
/** Offset of `e_machine` in an ELF header. */
const MACHINE_AT = 18
const machines: ReadonlyMap<number, Target['arch']> = new Map([
  [62, 'amd64'],
  [183, 'arm64'],
])

/** Returns the architecture that an ELF file is for. Undefined for other files, `unknown` for other architectures. */
export async function elfMachine(path: string): Promise<Target['arch'] | 'unknown' | undefined> {
  const file = await open(path)
  try {
    const header = Buffer.alloc(MACHINE_AT + 2)
    const { bytesRead } = await file.read(header, 0, header.length, 0)
    if (bytesRead < header.length || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined
    return machines.get(header.readUInt16LE(MACHINE_AT)) ?? 'unknown'
  } finally {
    await file.close()
  }
}
