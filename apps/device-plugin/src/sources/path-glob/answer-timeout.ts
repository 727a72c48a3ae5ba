import type { Clock, Timer } from '@berth/types'

/** Waits for calls of the file system, but only for a limited time. One timer serves all, because a scan makes thousands. */
export interface AnswerTimeout {
  /** Returns what the call resolves to, or undefined if that takes too long. The call itself goes on. */
  wait<T extends object>(call: Promise<T>): Promise<T | undefined>
}

interface Waiting {
  readonly untilMs: number
  readonly giveUp: () => void
}

/** Creates a timeout for any number of calls. */
export function createAnswerTimeout(timeoutMs: number, clock: Clock): AnswerTimeout {
  /** In the order of their deadlines. */
  const waiting = new Set<Waiting>()
  let timer: Timer | undefined

  function arm(): void {
    const [oldest] = waiting
    if (oldest !== undefined) timer ??= clock.setTimer(Math.max(0, oldest.untilMs - clock.monotonic()), giveUpOldest)
  }
  function giveUpOldest(): void {
    timer = undefined
    for (const call of [...waiting].filter(({ untilMs }) => untilMs <= clock.monotonic())) call.giveUp()
    arm()
  }
  function remove(call: Waiting): void {
    waiting.delete(call)
    if (waiting.size > 0) return
    timer?.cancel()
    timer = undefined
  }

  return {
    async wait(call) {
      const gaveUp = Promise.withResolvers<undefined>()
      const entry: Waiting = {
        untilMs: clock.monotonic() + timeoutMs,
        giveUp() {
          waiting.delete(entry)
          gaveUp.resolve(undefined)
        },
      }
      waiting.add(entry)
      arm()
      try {
        return await Promise.race([call, gaveUp.promise])
      } finally {
        remove(entry)
      }
    },
  }
}
