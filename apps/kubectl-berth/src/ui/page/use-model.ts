import { useEffect, useState } from 'preact/hooks'
import { applyChange } from '../model/model-changes.ts'
import type { UiMessage, UiModel } from '../model/ui-model.ts'
import { TokenError, uiMessages } from './connection.ts'

/** Current knowledge about the cluster. */
export interface Known {
  /** Undefined until the first model has arrived. */
  readonly model: UiModel | undefined
  /** Why the model may be out of date; undefined while it is not. */
  readonly problem: string | undefined
}

/** Time until a broken stream is opened again. */
const RETRY_MS = 2_000
const GONE = 'The connection to kubectl berth ui is lost. Is it still running? Trying again.'

/** Returns what a message makes of what was known. */
export function afterMessage(known: Known, message: UiMessage): Known {
  switch (message.kind) {
    case 'model':
      return { model: message.model, problem: undefined }
    case 'change':
      return { model: known.model === undefined ? undefined : applyChange(known.model, message), problem: undefined }
    case 'failed':
      return { ...known, problem: `The cluster cannot be read: ${message.sentence}. Trying again.` }
    case 'recovered':
      return { ...known, problem: undefined }
  }
}

/** Follows the change stream while the page is open. */
export function useModel(token: string): Known {
  const [known, setKnown] = useState<Known>({ model: undefined, problem: undefined })
  useEffect(() => {
    const stop = new AbortController()
    const follow = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        try {
          for await (const message of uiMessages(token, stop.signal))
            setKnown((before) => afterMessage(before, message))
          setKnown((before) => ({ ...before, problem: GONE }))
        } catch (error) {
          if (stop.signal.aborted) return
          const isRefused = error instanceof TokenError
          setKnown((before) => ({ ...before, problem: isRefused ? `Refused: ${error.message}.` : GONE }))
          if (isRefused) return
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    void follow()
    return () => stop.abort()
  }, [token])
  return known
}
