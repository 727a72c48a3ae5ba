import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { frames } from './page-frames.ts'

/**
 * Renders its children in a frame of their own, and nothing before it. A change of the page that concerns several of these is
 * spread over as many frames, none of which takes long.
 */
export function Turn({ children }: { readonly children: ComponentChildren }) {
  const [shown, setShown] = useState<ComponentChildren>()
  const owner = useRef({}).current
  useEffect(() => frames.request(owner, () => setShown(children)), [children])
  useEffect(() => () => frames.cancel(owner), [])
  return <>{shown}</>
}
