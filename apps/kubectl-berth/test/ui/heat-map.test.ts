import { describe, expect, test } from 'vitest'
import type { UiAmounts, UiModel } from '../../src/ui/model/ui-model.ts'
import { fragmentationOf } from '../../src/ui/page/bars/free-blocks.ts'
import { cellLook, cellSentence } from '../../src/ui/page/heat-map/cell-look.ts'
import { drawMap, type MapContext } from '../../src/ui/page/heat-map/draw-map.ts'
import { moved, scrollToShow, visibleRange } from '../../src/ui/page/heat-map/map-layout.ts'
import { nodeOrder } from '../../src/ui/page/heat-map/node-order.ts'

const dongle = 'example.com/dongle'

describe('a cell of the heat map', () => {
  test.for<readonly [text: string, fullness: string, amounts: UiAmounts | null]>([
    ['0%', 'used', [4, 0, 4, 0]],
    ['50%', 'used', [4, 2, 2, 0]],
    ['75%', 'busy', [4, 3, 1, 0]],
    ['100%', 'full', [4, 4, 0, 0]],
    ['over', 'full', [4, 5, -1, 0]],
    ['over !', 'full', [4, 5, -1, 2]],
    ['25% !', 'used', [4, 1, 3, 2]],
    ['none', 'full', [0, 0, 0, 0]],
    ['over', 'full', [0, 1, -1, 0]],
    ['–', 'used', null],
  ])('shows %s and the colour %s for %j', ([text, fullness, amounts]) => {
    expect(cellLook(amounts)).toMatchObject({ text, fullness })
  })

  test('says in words what its bar and colour show', () => {
    expect(cellSentence('node-1', dongle, [4, 3, 1, 2])).toBe(
      'node-1, example.com/dongle: 3 of 4 units requested, 1 free, 2 unhealthy.',
    )
    expect(cellSentence('node-1', 'cpu', [2_000, 500, 1_500, 0])).toBe(
      'node-1, cpu: 500m of 2 cores requested, 1500m free.',
    )
    expect(cellSentence('node-1', dongle, null)).toBe('node-1 does not offer example.com/dongle.')
  })
})

describe('cells of the heat map', () => {
  const cells: readonly (UiAmounts | null)[] = [
    null,
    ...[0, 1, 2, 3, 4, 5].map((requested): UiAmounts => [4, requested, 4 - requested, 0]),
    [4, 1, 3, 2],
    [4, 4, 0, 2],
    [0, 0, 0, 0],
    [0, 1, -1, 0],
  ]
  const colors = {
    ground: 'ground',
    raised: 'raised',
    text: 'text',
    muted: 'muted',
    line: 'line',
    focus: 'focus',
    bad: 'bad',
    fills: { used: 'used', busy: 'busy', full: 'full' },
  }
  const oneColor = {
    ...Object.fromEntries(Object.keys(colors).map((name) => [name, 'black'])),
    fills: { used: 'black', busy: 'black', full: 'black' },
  } as typeof colors

  /** Draws one cell, and returns what it paints. */
  function drawn(amounts: UiAmounts | null, rowHeight: number, palette: typeof colors): string {
    const painted: unknown[] = []
    const nothing = (): void => undefined
    const context: MapContext = {
      font: '',
      textBaseline: '',
      fillStyle: '',
      strokeStyle: '',
      lineWidth: 1,
      fillRect(left, top, width, height) {
        if (width > 0 && height > 0) painted.push([this.fillStyle, left, top, width, height])
      },
      fillText(text) {
        painted.push([this.fillStyle, text])
      },
      lineTo: (left, top) => void painted.push([left, top]),
      stroke() {
        painted.push([this.strokeStyle])
      },
      strokeRect: nothing,
      save: nothing,
      restore: nothing,
      beginPath: nothing,
      rect: nothing,
      clip: nothing,
      moveTo: nothing,
    }
    const resources = [{ name: dongle, total: [4, 0, 4, 0] as const, largestBlock: 4, cells: [amounts] }]
    drawMap(context, {
      model: { timeMs: 0, nodes: ['n'], resources, pendingCount: 0, notes: [] },
      rows: [0],
      columns: [0],
      layout: { rowHeight, columnWidth: 100, nameWidth: 0, headerHeight: 20 },
      colors: palette,
      focused: { row: 0, column: 0 },
      width: 100,
      height: 100,
      scrollLeft: 0,
      scrollTop: 0,
    })
    return JSON.stringify(painted)
  }

  test.for([22, 8])('that differ in colour differ without it, too, at a height of %i', (rowHeight) => {
    const inColor = new Set(cells.map((amounts) => drawn(amounts, rowHeight, colors)))
    const withoutColor = new Set(cells.map((amounts) => drawn(amounts, rowHeight, oneColor)))
    expect(withoutColor.size).toBe(inColor.size)
    expect(inColor.size).toBeGreaterThan(7)
  })
})

describe('the rows of the heat map', () => {
  const model: UiModel = {
    timeMs: 0,
    nodes: ['a-1', 'a-2', 'b-1', 'b-2'],
    resources: [
      {
        name: dongle,
        total: [12, 5, 7, 0],
        largestBlock: 4,
        cells: [[4, 0, 4, 0], [4, 4, 0, 0], null, [4, 1, 3, 0]],
      },
    ],
    pendingCount: 0,
    notes: [],
  }

  test('are the nodes whose name contains the search', () => {
    expect(nodeOrder(model, '', { by: 'name' })).toEqual([0, 1, 2, 3])
    expect(nodeOrder(model, ' A-', { by: 'name' })).toEqual([0, 1])
    expect(nodeOrder(model, 'zzz', { by: 'name' })).toEqual([])
  })

  test('begin with the fullest, and end with the nodes that do not offer the resource', () => {
    expect(nodeOrder(model, '', { by: 'share', resource: dongle })).toEqual([1, 3, 0, 2])
  })
})

describe('moving in the heat map', () => {
  const size = { rows: 5_000, columns: 3, page: 20 }
  test.for<readonly [key: string, row: number, column: number]>([
    ['ArrowUp', 9, 1],
    ['ArrowDown', 11, 1],
    ['ArrowLeft', 10, 0],
    ['ArrowRight', 10, 2],
    ['PageUp', 0, 1],
    ['PageDown', 30, 1],
    ['Home', 0, 1],
    ['End', 4_999, 1],
  ])('%s moves to row %i, column %i', ([key, row, column]) => {
    expect(moved({ row: 10, column: 1 }, key, size)).toEqual({ row, column })
  })

  test('stays inside, and leaves other keys to the page', () => {
    expect(moved({ row: 0, column: 0 }, 'ArrowUp', size)).toEqual({ row: 0, column: 0 })
    expect(moved({ row: 4_999, column: 2 }, 'ArrowRight', size)).toEqual({ row: 4_999, column: 2 })
    expect(moved({ row: 0, column: 0 }, 'Tab', size)).toBeUndefined()
  })

  test('scrolls only as far as needed', () => {
    expect(scrollToShow(100, 200, 22, 5)).toBe(100)
    expect(scrollToShow(100, 200, 22, 2)).toBe(44)
    expect(scrollToShow(100, 200, 22, 20)).toBe(20 * 22 + 22 - 200)
  })

  test('draws only what is visible', () => {
    expect(visibleRange(0, 220, 22, 5_000)).toEqual({ from: 0, to: 10 })
    expect(visibleRange(30, 220, 22, 5_000)).toEqual({ from: 1, to: 12 })
    expect(visibleRange(0, 220, 22, 3)).toEqual({ from: 0, to: 3 })
  })
})

describe('fragmentationOf', () => {
  test('counts the nodes by their free units, in steps of powers of two', () => {
    const frees = [1, 1, 2, 3, 4, 0, -2]
    const cells = [...frees.map((free): UiAmounts => [8, 8 - free, free, 0]), null]
    expect(fragmentationOf({ cells, largestBlock: 4 })).toEqual({
      free: 11,
      largestBlock: 4,
      scatteredShare: 1 - 4 / 11,
      blocks: [
        { from: 1, to: 1, nodeCount: 2 },
        { from: 2, to: 3, nodeCount: 2 },
        { from: 4, to: 7, nodeCount: 1 },
      ],
    })
  })

  test('is empty where nothing is free', () => {
    expect(fragmentationOf({ cells: [[4, 4, 0, 0]], largestBlock: 0 })).toMatchObject({ scatteredShare: 0, blocks: [] })
  })
})
