import { counted } from '@berth/text/counted'
import { useRef, useState } from 'preact/hooks'
import { AllocationBars } from './bars/allocation-bars.tsx'
import { HeatMap } from './heat-map/heat-map.tsx'
import { HelpDialog } from './header/help-dialog.tsx'
import { useViewTabs, type View, ViewPanels, ViewTabs, views } from './header/view-tabs.tsx'
import type { Known } from './known.ts'
import { PendingView } from './pending/pending-view.tsx'
import { initialTheme, keepTheme, showTheme, type Theme } from './theme.ts'
import { steppedTime } from './timeline/moments.ts'
import { TimeBar } from './timeline/time-bar.tsx'
import { timeText } from './timeline/time-text.ts'
import { TimelineView } from './timeline/timeline-view.tsx'
import { useFeed } from './use-feed.ts'
import { useMoment } from './use-moment.ts'
import { useShortcuts } from './use-shortcuts.ts'

/** The page: tabs, search, theme, the slider of time, and the chosen view. */
export function App({ token }: { readonly token: string }) {
  const known = useFeed(token)
  const [view, setView] = useState<View>('Heat map')
  const [search, setSearch] = useState('')
  const [theme, setTheme] = useState<Theme>(initialTheme)
  const [atMs, setAtMs] = useState<number>()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const moment = useMoment(token, atMs)
  const searchBox = useRef<HTMLInputElement>(null)
  // Before the children draw: they read the colours of the theme.
  showTheme(theme)
  const switchTheme = (): void => {
    const next = theme === 'dark' ? 'light' : 'dark'
    keepTheme(next)
    setTheme(next)
  }
  const moveTo = (timeMs: number): void => setAtMs(timeMs < (known.points.at(-1)?.timeMs ?? 0) ? timeMs : undefined)
  // From the latest time: keys that follow each other closely arrive before the page is rendered.
  const step = (steps: number): void => setAtMs((before) => steppedTime(known.points, before, steps))
  useShortcuts({
    ...Object.fromEntries(views.map((one, i) => [`${i + 1}`, () => setView(one)])),
    t: switchTheme,
    '?': () => setHelpOpen(!isHelpOpen),
    '/': () => searchBox.current?.focus(),
    ',': () => step(-1),
    '.': () => step(1),
    l: () => setAtMs(undefined),
  })
  const tabs = useViewTabs(view, setView)
  const { model: latest, points, problem } = known
  const model = moment ?? latest
  return (
    <>
      <header>
        <h1>Berth</h1>
        <ViewTabs api={tabs} />
        <label>
          Search <kbd>/</kbd>{' '}
          <input
            type="search"
            ref={searchBox}
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return
              setSearch('')
              event.currentTarget.blur()
            }}
          />
        </label>
        <button aria-keyshortcuts="t" onClick={switchTheme}>
          {theme === 'dark' ? 'Light' : 'Dark'} theme <kbd>t</kbd>
        </button>
        <HelpDialog isOpen={isHelpOpen} setOpen={setHelpOpen} />
        <Summary known={known} shown={model} />
      </header>
      {[...(problem === undefined ? [] : [problem]), ...(model?.notes ?? [])].map((sentence) => (
        <p class="problem" role="alert" key={sentence}>
          {sentence}
        </p>
      ))}
      {model !== undefined && view !== 'Pending' && (
        <TimeBar points={points} atMs={atMs} isLive={known.feed === 'live'} onMove={setAtMs} />
      )}
      <ViewPanels api={tabs} view={view} keepsContent={view !== 'Pending'}>
        {model === undefined ? (
          <p class="status">{problem === undefined ? 'Reading the cluster …' : ''}</p>
        ) : view === 'Heat map' ? (
          <HeatMap model={model} search={search} theme={theme} />
        ) : view === 'Allocation' ? (
          <AllocationBars model={model} search={search} />
        ) : view === 'Timeline' ? (
          <TimelineView {...{ points, search, theme, atMs }} onMove={moveTo} />
        ) : known.feed === 'recording' ? (
          <p class="status">
            A recording holds nodes and pods. What pods wait for is explained with the cluster: run kubectl berth ui
            without --recording.
          </p>
        ) : (
          <PendingView token={token} search={search} changedMs={latest?.timeMs ?? 0} isPast={atMs !== undefined} />
        )}
      </ViewPanels>
    </>
  )
}

function Summary({ known, shown }: { readonly known: Known; readonly shown: Known['model'] }) {
  if (shown === undefined) return null
  const { nodes, pendingCount, timeMs } = shown
  const kind = known.feed === 'recording' ? 'Recording' : known.problem === undefined ? 'Live' : 'Not up to date'
  return (
    <p class="status">
      {kind}: {counted(nodes.length, 'node')}, {counted(pendingCount, 'pending pod')}, last change at {timeText(timeMs)}
    </p>
  )
}
