import { describe, expect, test } from 'vitest'
import { createNarrator } from './narrator.ts'

describe('createNarrator', () => {
  test.for([
    { columns: undefined, width: 80 },
    { columns: 0, width: 80 },
    { columns: 200, width: 80 },
    { columns: 60, width: 60 },
    { columns: 12, width: 40 },
  ])('writes lines of at most $width columns to a terminal of $columns', async ({ columns, width }) => {
    const written: string[] = []
    const write = (text: string): void => void written.push(text)
    const narrator = createNarrator({ write, columns, paceMs: 0, isTerminal: false, hasColors: false })
    narrator.chapter(1, 3, 'Advertise four dongles on one node of the cluster, and show it')
    narrator.explain('word '.repeat(60).trim())
    narrator.observed('seen '.repeat(60).trim())
    narrator.command('kubectl get nodes')
    await narrator.pause()
    const text = written.join('')
    expect(text).not.toContain('\u001b')
    expect(text).toContain('1/3  Advertise')
    expect(narrator.outputColumns).toBe(width - 5)
    expect(text).toContain('$ kubectl get nodes')
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width)
  })
})
