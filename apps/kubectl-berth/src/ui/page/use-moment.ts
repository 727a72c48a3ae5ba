import { useEffect, useRef, useState } from 'preact/hooks'
import type { UiModel } from '../model/ui-model.ts'
import { requestData } from './connection.ts'

/**
 * Returns the model of a chosen time: undefined without one, and while the first is loading. One request runs at a time; a
 * slider that moves on skips the times in between.
 *
 * @param atMs - Milliseconds since the epoch; undefined: the present.
 */
export function useMoment(token: string, atMs: number | undefined): UiModel | undefined {
  const [moment, setMoment] = useState<UiModel>()
  const wanted = useRef<number>(undefined)
  const isLoading = useRef(false)
  useEffect(() => {
    wanted.current = atMs
    if (atMs === undefined) setMoment(undefined)
    else if (!isLoading.current) void load()
  }, [atMs])

  const load = async (): Promise<void> => {
    isLoading.current = true
    let loaded: number | undefined
    while (wanted.current !== undefined && wanted.current !== loaded) {
      loaded = wanted.current
      const model = await momentAt(token, loaded)
      if (wanted.current !== undefined && model !== undefined) setMoment(model)
    }
    isLoading.current = false
  }
  return atMs === undefined ? undefined : moment
}

/** Undefined when it cannot be loaded: the page then keeps what it shows, and says that the connection is lost. */
async function momentAt(token: string, atMs: number): Promise<UiModel | undefined> {
  try {
    const response = await requestData(`/api/snapshot?at=${atMs}`, token, AbortSignal.timeout(10_000))
    return (await response.json()) as UiModel
  } catch {
    return undefined
  }
}
