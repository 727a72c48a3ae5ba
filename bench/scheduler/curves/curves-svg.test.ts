import { expect, test } from 'vitest'
import { curvesSvg } from './curves-svg.ts'
import type { RaceCurves } from './race-curves.ts'

const curves: RaceCurves = {
  created: [
    [0, 100],
    [2_000, 100],
  ],
  bound: [
    [0, 1],
    [1_000, 100],
    [2_000, 100],
  ],
  event: [
    [100, 1],
    [2_000, 100],
  ],
}
const svg = curvesSvg('10 pods & "more" <here>', { berth: curves, 'kube-scheduler': curves })

test('curvesSvg draws three curves of each scheduler', () => {
  expect(
    svg.match(/<path class="curve (berth|kube-scheduler) (created|bound|event)" d="M[\d.]+ [\d.]+L/g),
  ).toHaveLength(6)
  expect(svg).toContain('d="M64 387.2L402 112L740 112"')
})

test('curvesSvg escapes the title', () => {
  expect(svg).toContain('>10 pods &amp; &quot;more&quot; &lt;here></text>')
})

test('curvesSvg has text of at least 11 px and colors for a dark background', () => {
  const sizes = Array.from(svg.matchAll(/(\d+)px/g), ([, size]) => Number(size))
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(11)
  expect(svg).toContain('prefers-color-scheme:dark')
})

test('curvesSvg keeps all text inside the picture', () => {
  const xs = Array.from(svg.matchAll(/<text[^>]* x="([\d.]+)"/g), ([, x]) => Number(x))
  expect(xs.every((x) => x > 0 && x <= 740)).toBe(true)
})
