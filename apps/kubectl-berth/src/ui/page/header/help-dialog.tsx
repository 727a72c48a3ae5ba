import * as dialog from '@zag-js/dialog'
import { normalizeProps, useMachine } from '@zag-js/preact'

const keys: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['1', '2', '3', '4'], 'Show a view'],
  [['/'], 'Search; Esc leaves the search'],
  [[',', '.'], 'One change back, one forward'],
  [['l'], 'Back to the present, or to the end of a recording'],
  [['←', '↑', '↓', '→'], 'Move in the heat map, or the slider of time'],
  [['s'], 'Sort the heat map by the chosen resource'],
  [['t'], 'Light or dark theme'],
  [['?'], 'This list'],
]

/** A button and a dialog with the keys of the page. */
export function HelpDialog({
  isOpen,
  setOpen,
}: {
  readonly isOpen: boolean
  readonly setOpen: (isOpen: boolean) => void
}) {
  const service = useMachine(dialog.machine, {
    id: 'help',
    open: isOpen,
    onOpenChange: ({ open }) => setOpen(open),
  })
  const api = dialog.connect(service, normalizeProps)
  return (
    <>
      <button aria-keyshortcuts="?" {...api.getTriggerProps()}>
        Keys <kbd>?</kbd>
      </button>
      {api.open && (
        <>
          <div class="backdrop" {...api.getBackdropProps()} />
          <div class="positioner" {...api.getPositionerProps()}>
            <div class="dialog" {...api.getContentProps()}>
              <h2 {...api.getTitleProps()}>Keys</h2>
              <dl>
                {keys.map(([names, meaning]) => (
                  <div key={meaning}>
                    <dt>
                      {names.map((name) => (
                        <kbd key={name}>{name}</kbd>
                      ))}
                    </dt>
                    <dd>{meaning}</dd>
                  </div>
                ))}
              </dl>
              <p>
                <a href="/licences.txt" target="_blank" rel="noreferrer">
                  Licences of the libraries in this page
                </a>
              </p>
              <button {...api.getCloseTriggerProps()}>Close</button>
            </div>
          </div>
        </>
      )}
    </>
  )
}
