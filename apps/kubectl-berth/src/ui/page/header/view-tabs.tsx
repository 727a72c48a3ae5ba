import { normalizeProps, useMachine } from '@zag-js/preact'
import * as tabs from '@zag-js/tabs'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

/** The views of the page, in the order of their keys. */
export const views = ['Heat map', 'Allocation', 'Pending', 'Timeline'] as const

/** A view of the page. */
export type View = (typeof views)[number]

/** Connects the tabs with the panel of the chosen view. */
export function useViewTabs(view: View, onChange: (view: View) => void): tabs.Api {
  const service = useMachine(tabs.machine, {
    id: 'views',
    value: view,
    onValueChange: ({ value }) => onChange(views.find((one) => one === value) ?? view),
    translations: { listLabel: 'Views' },
  })
  return tabs.connect(service, normalizeProps)
}

/** The list of tabs. */
export function ViewTabs({ api }: { readonly api: tabs.Api }) {
  return (
    <div class="tabs" {...api.getListProps()}>
      {views.map((one, i) => (
        <button key={one} aria-keyshortcuts={`${i + 1}`} {...api.getTriggerProps({ value: one })}>
          {one} <kbd>{i + 1}</kbd>
        </button>
      ))}
    </div>
  )
}

/**
 * The panels of the views. A panel that was shown stays in the page and is not changed while another is shown, so that
 * coming back to it is quick.
 */
export function ViewPanels({
  api,
  view,
  keepsContent,
  children,
}: {
  readonly api: tabs.Api
  readonly view: View
  /** Whether the content of this view may stay in the page: it asks for nothing while it is hidden. */
  readonly keepsContent: boolean
  /** The content of the chosen view. */
  readonly children: ComponentChildren
}) {
  const contents = useRef(new Map<View, ComponentChildren>()).current
  const leaving = useRef<View>(undefined)
  if (leaving.current !== undefined && leaving.current !== view) contents.delete(leaving.current)
  leaving.current = keepsContent ? undefined : view
  contents.set(view, children)
  return (
    <main>
      {[...contents].map(([one, content]) => (
        <div key={one} class="panel" {...api.getContentProps({ value: one })}>
          {content}
        </div>
      ))}
    </main>
  )
}
