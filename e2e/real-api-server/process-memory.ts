import { readFileSync, writeFileSync } from 'node:fs'

/** Memory of a process in bytes. */
export interface ProcessMemory {
  readonly rss: number
  /** Highest `rss` so far, or since {@link resetPeak}. */
  readonly peak: number
  /** Without the pages of the program's file, which the kernel shares and can drop. */
  readonly anonymous: number
}

/** Returns the memory of a process. Resource usage would include the parent's before exec. */
export function processMemory(pid: number | 'self'): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (key: string): number => 1024 * Number(new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0)
  return { rss: bytes('VmRSS'), peak: bytes('VmHWM'), anonymous: bytes('RssAnon') }
}

/** Lets the peak of a process start again at its current memory. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
