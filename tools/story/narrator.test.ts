import { describe, expect, test } from 'vitest'
import { createNarrator } from './narrator.ts'

describe('createNarrator', () => {
  test('writes lines of at most 80 columns without colors into a pipe', async () => {
    const written: string[] = []
    const write = (text: string): void => void written.push(text)
    const narrator = createNarrator({ write, paceMs: 0, isTerminal: false, hasColors: false })
    narrator.chapter(1, 3, 'Advertise')
    narrator.explain('word '.repeat(60).trim())
    narrator.observed('seen '.repeat(60).trim())
    narrator.command('kubectl get nodes')
    await narrator.pause()
    const text = written.join('')
    expect(text).not.toContain('\u001b')
    expect(text).toContain('1/3  Advertise')
    expect(text).toContain('$ kubectl get nodes')
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })
})
