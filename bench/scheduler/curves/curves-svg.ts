import { tenths } from '../../statistics.ts'
import { escapedXml } from '../escaped-xml.ts'
import type { Runner } from '../start-runner.ts'
import { curveKinds, type RaceCurves } from './race-curves.ts'
import type { CurvePoint } from './sample-curve.ts'

const [WIDTH, HEIGHT] = [760, 440]
const plot = { left: 64, right: 740, top: 112, bottom: 390 }
const runners: readonly Runner[] = ['berth', 'kube-scheduler']
const names: Readonly<Record<Runner, string>> = { berth: 'Berth', 'kube-scheduler': 'kube-scheduler' }
const TICKS = 6

/** Colors have a contrast of at least 4.5:1 with the background. The kinds differ in their dashes. */
const style = `
text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-size:13px;font-weight:600}
.background{fill:#ffffff}.grid{stroke:#d1d9e0}.curve{fill:none;stroke-width:2}
.berth{stroke:#0969da}.kube-scheduler{stroke:#bc4c00}
.created{stroke-dasharray:2 4}.event{stroke-dasharray:8 4}
@media (prefers-color-scheme:dark){
text{fill:#f0f6fc}.background{fill:#0d1117}.grid{stroke:#3d444d}.berth{stroke:#4493f8}.kube-scheduler{stroke:#f0883e}
}`

/** Returns an SVG of the curves of one race of each scheduler, on a light or dark background as the reader prefers. */
export function curvesSvg(title: string, curves: Readonly<Record<Runner, RaceCurves>>): string {
  const points = runners.flatMap((runner) => curveKinds.flatMap((kind) => curves[runner][kind]))
  const seconds = scale(Math.max(...points.map(([ms]) => ms)) / 1000, plot.left, plot.right)
  const pods = scale(Math.max(...points.map(([, count]) => count)), plot.bottom, plot.top)
  const pathOf = (curve: readonly CurvePoint[]): string =>
    `M${curve.map(([ms, count]) => `${seconds.at(ms / 1000)} ${pods.at(count)}`).join('L')}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapedXml(title)}">`,
    `<style>${style}\n</style>`,
    `<rect class="background" width="100%" height="100%" rx="8"/>`,
    `<text class="title" x="16" y="26">${escapedXml(title)}</text>`,
    ...legend(),
    ...seconds.ticks.flatMap((tick) => [
      line('grid', seconds.at(tick), plot.top, seconds.at(tick), plot.bottom),
      text(seconds.at(tick), plot.bottom + 18, 'middle', tick),
    ]),
    ...pods.ticks.flatMap((tick) => [
      line('grid', plot.left, pods.at(tick), plot.right, pods.at(tick)),
      text(plot.left - 8, pods.at(tick) + 4, 'end', tick),
    ]),
    text(plot.right, plot.bottom + 38, 'end', 'seconds since the start of the measured time'),
    text(plot.left, plot.top - 10, 'end', 'pods'),
    ...runners.flatMap((runner) =>
      curveKinds.map((kind) => `<path class="curve ${runner} ${kind}" d="${pathOf(curves[runner][kind])}"/>`),
    ),
    '</svg>\n',
  ].join('\n')
}

/** Returns one row for each scheduler. */
function legend(): readonly string[] {
  return runners.flatMap((runner, row) => {
    const y = 52 + row * 20
    const entries = curveKinds.flatMap((kind, column) => {
      const x = 130 + column * 110
      return [`<path class="curve ${runner} ${kind}" d="M${x} ${y - 4}h28"/>`, text(x + 36, y, 'start', kind)]
    })
    return [text(16, y, 'start', names[runner]), ...entries]
  })
}

interface Scale {
  readonly ticks: readonly number[]
  /** Returns the coordinate of a value. */
  at(value: number): number
}

/** Returns a linear scale from 0 to a value, with round ticks. */
function scale(max: number, from: number, to: number): Scale {
  const step = roundStep(max / TICKS)
  const end = Math.max(step, Math.ceil(max / step) * step)
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, i) => Number((i * step).toPrecision(6)))
  return { ticks, at: (value) => tenths(from + (value / end) * (to - from)) }
}

/** Returns the smallest of 1, 2, 5, 10, 20, ... and of their tenths that is not below the value. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-3)))
  return power * ([1, 2, 5].find((factor) => factor * power >= value) ?? 10)
}

function line(name: string, x1: number, y1: number, x2: number, y2: number): string {
  return `<line class="${name}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`
}

function text(x: number, y: number, anchor: string, content: string | number): string {
  const shown = typeof content === 'number' ? content.toLocaleString('en-US') : escapedXml(content)
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${shown}</text>`
}
