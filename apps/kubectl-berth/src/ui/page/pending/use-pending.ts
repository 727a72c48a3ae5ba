import { useEffect, useRef, useState } from 'preact/hooks'
import type { PendingModel } from '../../model/pending-model.ts'
import { requestData } from '../connection.ts'

/** Time after which an answer from before the last change is asked for again; the server repeats recent answers. */
const STALE_MS = 2_000
/** Explanations depend on more than nodes and pods, such as quotas and claims, whose changes are not pushed. */
const AGAIN_MS = 30_000

/** The causes of pending pods, as far as they are known. */
export interface KnownPending {
  readonly pending: PendingModel | undefined
  readonly problem: string | undefined
}

/**
 * Asks what the pending pods wait for, again after each change of the cluster while the view is shown.
 *
 * @param changedMs - Time of the last change of nodes and pods.
 */
export function usePending(token: string, changedMs: number): KnownPending {
  const [known, setKnown] = useState<KnownPending>({ pending: undefined, problem: undefined })
  const newest = useRef(changedMs)
  const wake = useRef<() => void>(() => undefined)
  useEffect(() => {
    newest.current = changedMs
    wake.current()
  }, [changedMs])
  useEffect(() => {
    const stop = new AbortController()
    const ask = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        let answeredMs = -Infinity
        try {
          const response = await requestData('/api/pending', token, stop.signal)
          const pending = (await response.json()) as PendingModel
          answeredMs = pending.timeMs
          setKnown({ pending, problem: undefined })
        } catch (error) {
          if (stop.signal.aborted) return
          const problem = `The pods cannot be explained: ${error instanceof Error ? error.message : String(error)}.`
          setKnown(({ pending }) => ({ pending, problem }))
        }
        if (answeredMs < newest.current) await new Promise((resolve) => setTimeout(resolve, STALE_MS))
        else await woken(wake, AGAIN_MS)
      }
    }
    void ask()
    return () => stop.abort()
  }, [token])
  return known
}

/** Waits until the function is called, or for some time. */
function woken(wake: { current: () => void }, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    wake.current = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}
