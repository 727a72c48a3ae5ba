import { useEffect, useState } from 'preact/hooks'
import type { PendingModel } from '../../model/pending-model.ts'
import { requestData } from '../connection.ts'

/** Time between an answer and the next request. The server repeats its last answer where that is recent. */
const AGAIN_MS = 2_000

/** The causes of pending pods, as far as they are known. */
export interface KnownPending {
  readonly pending: PendingModel | undefined
  readonly problem: string | undefined
}

/** Asks what the pending pods wait for, again and again while the view is shown. */
export function usePending(token: string): KnownPending {
  const [known, setKnown] = useState<KnownPending>({ pending: undefined, problem: undefined })
  useEffect(() => {
    const stop = new AbortController()
    const ask = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        try {
          const response = await requestData('/api/pending', token, stop.signal)
          setKnown({ pending: (await response.json()) as PendingModel, problem: undefined })
        } catch (error) {
          if (stop.signal.aborted) return
          const problem = `The pods cannot be explained: ${error instanceof Error ? error.message : String(error)}.`
          setKnown(({ pending }) => ({ pending, problem }))
        }
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      }
    }
    void ask()
    return () => stop.abort()
  }, [token])
  return known
}
