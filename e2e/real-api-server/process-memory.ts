import { readFileSync } from 'node:fs'

/** Returns the current and the peak resident memory of a process in bytes. Resource usage would include the parent's before exec. */
export function processMemory(pid: number | 'self'): { readonly rss: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (key: string): number => 1024 * Number(new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0)
  return { rss: bytes('VmRSS'), peak: bytes('VmHWM') }
}
