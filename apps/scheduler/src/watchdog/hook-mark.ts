import type { SchedulingHooks } from '@berth/plugin-api'
import type { Pod } from '@berth/types'

/** A call of a hook of a contributed plugin. */
export interface MarkedHook {
  readonly plugin: string
  readonly hook: string
  readonly namespace: string
  readonly pod: string
  readonly uid: string
}

/** Shows another thread which hook the main thread runs. */
export interface HookMark {
  /** Memory that the threads share. */
  readonly buffer: SharedArrayBuffer
  /** Returns hooks that are marked while they run. A promise that a hook returned is not waited for. */
  mark(plugin: string, hooks: SchedulingHooks): SchedulingHooks
}

/**
 * Two int32: the number of calls so far, which is odd while a call runs, and the length of the text that follows in
 * UTF-8.
 */
const HEADER_BYTES = 8
/** More than the names of a plugin, a hook, a namespace and a pod and a uid need together. */
const TEXT_BYTES = 2_048

/** Creates a mark for the main thread. */
export function createHookMark(): HookMark {
  const buffer = new SharedArrayBuffer(HEADER_BYTES + TEXT_BYTES)
  const header = new Int32Array(buffer, 0, 2)
  const text = new Uint8Array(buffer, HEADER_BYTES)
  const encoder = new TextEncoder()
  // TextEncoder does not write to shared memory.
  const scratch = new Uint8Array(TEXT_BYTES)

  const enter = (plugin: string, hook: string, { metadata }: Pod): void => {
    const { namespace = 'default', name: pod = '', uid = '' } = metadata
    const { written } = encoder.encodeInto(JSON.stringify([plugin, hook, namespace, pod, uid]), scratch)
    text.set(scratch.subarray(0, written))
    header[1] = written
    Atomics.add(header, 0, 1)
  }

  return {
    buffer,
    mark(plugin, hooks) {
      const marked = Object.entries(hooks).map(([name, hook]) => {
        const call = hook as (...args: readonly unknown[]) => unknown
        const run = (...args: readonly unknown[]): unknown => {
          const [first] = args as readonly [Pod | { readonly pod: Pod }]
          enter(plugin, name, 'pod' in first ? first.pod : first)
          try {
            return call(...args)
          } finally {
            Atomics.add(header, 0, 1)
          }
        }
        return [name, run] as const
      })
      return Object.fromEntries(marked) as SchedulingHooks
    },
  }
}

/** Finds a hook that does not return. */
export interface HangDetector {
  /** Returns the hook that has run for too long; undefined if none. Call it at least every 500 ms. */
  check(): MarkedHook | undefined
}

/** Maximum time that counts between two checks: a process that was stopped (SIGSTOP) ran neither its hooks nor checks. */
const MAX_STEP_MS = 500

/**
 * Reads the mark of the main thread.
 *
 * @param hangMs - Time after which a running hook counts as hung.
 */
export function createHangDetector(
  buffer: SharedArrayBuffer,
  hangMs: number,
  clock: { monotonic(): number },
): HangDetector {
  const header = new Int32Array(buffer, 0, 2)
  let call = 0
  let runningMs = 0
  let checkedAtMs = clock.monotonic()
  return {
    check() {
      const current = Atomics.load(header, 0)
      const nowMs = clock.monotonic()
      runningMs = current === call ? runningMs + Math.min(nowMs - checkedAtMs, MAX_STEP_MS) : 0
      call = current
      checkedAtMs = nowMs
      if (call % 2 === 0 || runningMs < hangMs) return undefined
      const bytes = new Uint8Array(buffer, HEADER_BYTES, header[1]).slice()
      const [plugin = '', hook = '', namespace = '', pod = '', uid = ''] = JSON.parse(
        new TextDecoder().decode(bytes),
      ) as readonly string[]
      return { plugin, hook, namespace, pod, uid }
    },
  }
}
