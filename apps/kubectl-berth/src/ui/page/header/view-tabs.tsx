import { normalizeProps, useMachine } from '@zag-js/preact'
import * as tabs from '@zag-js/tabs'
import type { ComponentChildren } from 'preact'

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

/** The chosen view. */
export function ViewPanel({
  api,
  view,
  children,
}: {
  readonly api: tabs.Api
  readonly view: View
  readonly children: ComponentChildren
}) {
  return (
    <main>
      <div class="panel" {...api.getContentProps({ value: view })}>
        {children}
      </div>
    </main>
  )
}
