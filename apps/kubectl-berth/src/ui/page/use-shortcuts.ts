import { useEffect } from 'preact/hooks'

/** Calls the function of a key, except in input fields and with modifiers. */
export function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return
      if (!Object.hasOwn(actions, event.key)) return
      event.preventDefault()
      actions[event.key]?.()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}
