import { describe, expect, test } from 'vitest'
import { terminalSvg } from './terminal-svg.ts'

const size = { columns: 40, rows: 2 }

describe('terminalSvg', () => {
  test('shows each line at its time with the class of its kind', () => {
    const svg = terminalSvg(
      [
        { atMs: 0, text: '1/2  Advertise' },
        { atMs: 1500, text: '   ✔ node-1 <4> & more' },
      ],
      size,
    )
    expect(svg).toContain('class="title" style="animation-delay:0.00s">1/2\u00A0\u00A0Advertise<')
    expect(svg).toContain('class="seen" style="animation-delay:1.50s">\u00A0\u00A0\u00A0✔ node-1 &lt;4&gt; &amp; more<')
  })

  test('keeps columns for renderers that collapse spaces', () => {
    const svg = terminalSvg([{ atMs: 0, text: ' NODE     FITS   RESOURCE' }], size)
    const [, shown = ''] = /<text [^>]*>([^<]*)</.exec(svg) ?? []
    expect(shown.replaceAll(/[ \t]+/g, ' ').replaceAll('\u00A0', ' ')).toBe(' NODE     FITS   RESOURCE')
  })

  test('scrolls after the screen is full', () => {
    const lines = [0, 1, 2, 3].map((second) => ({ atMs: second * 1000, text: `line ${second}` }))
    const svg = terminalSvg(lines, size)
    expect(svg).toContain('66.667%{transform:translateY(-18px)}')
    expect(svg).toContain('100%{transform:translateY(-36px)}')
  })
})
