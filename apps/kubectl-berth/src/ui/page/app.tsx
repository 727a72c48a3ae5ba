import { useEffect, useRef, useState } from 'preact/hooks'
import { AllocationBars } from './bars/allocation-bars.tsx'
import { HeatMap } from './heat-map/heat-map.tsx'
import { PendingView } from './pending/pending-view.tsx'
import { initialTheme, keepTheme, showTheme, type Theme } from './theme.ts'
import { useModel } from './use-model.ts'

const views = ['Heat map', 'Allocation', 'Pending'] as const
type View = (typeof views)[number]

/** The page: tabs, search, theme, and the chosen view. */
export function App({ token }: { readonly token: string }) {
  const { model, problem } = useModel(token)
  const [view, setView] = useState<View>('Heat map')
  const [search, setSearch] = useState('')
  const [theme, setTheme] = useState<Theme>(initialTheme)
  const searchBox = useRef<HTMLInputElement>(null)
  // Before the children draw: they read the colours of the theme.
  showTheme(theme)
  const switchTheme = (): void => {
    const next = theme === 'dark' ? 'light' : 'dark'
    keepTheme(next)
    setTheme(next)
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Escape' && event.target === searchBox.current) {
        setSearch('')
        searchBox.current?.blur()
        return
      }
      if (event.target instanceof HTMLInputElement) return
      const chosen = views[Number(event.key) - 1]
      if (chosen !== undefined) setView(chosen)
      else if (event.key === 't') switchTheme()
      else if (event.key === '/') {
        event.preventDefault()
        searchBox.current?.focus()
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  return (
    <>
      <header>
        <h1>Berth</h1>
        <nav role="tablist" aria-label="Views">
          {views.map((one, i) => (
            <button
              key={one}
              role="tab"
              aria-selected={one === view}
              aria-keyshortcuts={`${i + 1}`}
              onClick={() => setView(one)}
            >
              {one} <kbd>{i + 1}</kbd>
            </button>
          ))}
        </nav>
        <label>
          Search <kbd>/</kbd>{' '}
          <input
            type="search"
            ref={searchBox}
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </label>
        <button aria-keyshortcuts="t" onClick={switchTheme}>
          {theme === 'dark' ? 'Light' : 'Dark'} theme <kbd>t</kbd>
        </button>
        {model !== undefined && (
          <p class="status">
            {model.nodes.length} nodes, {model.pendingCount} pending pods, read at{' '}
            {new Date(model.timeMs).toLocaleTimeString()}
          </p>
        )}
      </header>
      {[...(problem === undefined ? [] : [problem]), ...(model?.notes ?? [])].map((sentence) => (
        <p class="problem" role="alert" key={sentence}>
          {sentence}
        </p>
      ))}
      <main>
        {model === undefined ? (
          <p class="status">{problem === undefined ? 'Reading the cluster …' : ''}</p>
        ) : view === 'Heat map' ? (
          <HeatMap model={model} search={search} theme={theme} />
        ) : view === 'Allocation' ? (
          <AllocationBars model={model} search={search} />
        ) : (
          <PendingView token={token} search={search} />
        )}
      </main>
    </>
  )
}
