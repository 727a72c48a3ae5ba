import { createBackoff, systemClock } from '@berth/clock'
import { useEffect, useState } from 'preact/hooks'
import { BEAT_MS } from '../model/ui-model.ts'
import { TokenError, uiMessages } from './connection.ts'
import { afterMessage, type Known, nothingKnown } from './known.ts'

/** A stream that is silent for longer is opened again: the machine may have slept. */
const SILENT_MS = 2.5 * BEAT_MS
const GONE =
  'The connection to kubectl berth ui is lost, so this may be out of date. Is it still running? Trying again.'

/** Follows the change stream while the page is open. */
export function useFeed(token: string): Known {
  const [known, setKnown] = useState<Known>(nothingKnown)
  useEffect(() => {
    const stop = new AbortController()
    const lose = (problem: string): void => setKnown((before) => ({ ...before, problem }))
    const follow = async (): Promise<void> => {
      const pace = { initialMs: 500, maxMs: 15_000, jitter: 0.5, resetAfterMs: 60_000 }
      const backoff = createBackoff({ ...pace, clock: systemClock(), random: Math.random })
      while (!stop.signal.aborted) {
        try {
          await read(token, stop.signal, setKnown)
          lose(GONE)
        } catch (error) {
          if (stop.signal.aborted) return
          if (error instanceof TokenError) return lose(`Refused: ${error.message}.`)
          lose(GONE)
        }
        await new Promise((resolve) => setTimeout(resolve, backoff.next()))
      }
    }
    void follow()
    return () => stop.abort()
  }, [token])
  return known
}

/** Reads one stream until it ends or is silent for too long. */
async function read(
  token: string,
  stop: AbortSignal,
  setKnown: (change: (before: Known) => Known) => void,
): Promise<void> {
  const silent = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const hear = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => silent.abort(), SILENT_MS)
  }
  hear()
  try {
    for await (const message of uiMessages(token, AbortSignal.any([stop, silent.signal]))) {
      hear()
      setKnown((before) => afterMessage(before, message))
    }
  } finally {
    clearTimeout(timer)
  }
}
