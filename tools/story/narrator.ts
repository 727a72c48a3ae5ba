import { styleText } from 'node:util'

/** What the story is told through: plain lines, so that a pipe and a terminal read the same. */
export interface Narrator {
  chapter(number: number, total: number, title: string): void
  /** What happens and why. */
  say(text: string): void
  /** A command that the reader could type. */
  command(text: string): void
  /** Something that was read back from the API server or an app. */
  seen(text: string): void
  /** Text of a program, as it printed it. */
  quote(text: string): void
  /** Shows that a wait goes on; only after two seconds, and only where lines can be rewritten. */
  waiting(what: string): Disposable
  /** A pause for reading. */
  pause(): Promise<void>
}

const WIDTH = 80

/** Where and how a narrator writes. */
export interface NarratorOptions {
  readonly write: (text: string) => void
  /** The pause after each chapter; 0 for none. */
  readonly paceMs: number
  /** Lines can be rewritten, so a long wait may show itself. */
  readonly isTerminal: boolean
  readonly hasColors: boolean
}

/** Writes through `write`, at most 80 columns wide. */
export function createNarrator({ write, paceMs, isTerminal, hasColors }: NarratorOptions): Narrator {
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    hasColors ? styleText(format, text, { validateStream: false }) : text
  const line = (text: string): void => write(`${text}\n`)
  return {
    chapter(number, total, title) {
      line('')
      line(style('bold', `${number}/${total}  ${title}`))
    },
    say(text) {
      for (const part of wrap(text, WIDTH - 5)) line(`     ${style('dim', part)}`)
    },
    command(text) {
      line(`     ${style('cyan', `$ ${text}`)}`)
    },
    seen(text) {
      const [first = '', ...rest] = wrap(text, WIDTH - 7)
      line(`   ${style('green', '✔')} ${first}`)
      for (const part of rest) line(`     ${part}`)
    },
    quote(text) {
      for (const part of text.trimEnd().split('\n')) line(`     ${part}`)
    },
    waiting(what) {
      if (!isTerminal) return { [Symbol.dispose]() {} }
      const startMs = performance.now()
      const timer = setInterval(() => {
        const seconds = Math.round((performance.now() - startMs) / 1000)
        if (seconds >= 2) write(`\r   … ${what} ${seconds} s `)
      }, 500)
      return {
        [Symbol.dispose]() {
          clearInterval(timer)
          if (performance.now() - startMs >= 2000) write('\r\u001b[2K')
        },
      }
    },
    async pause() {
      if (paceMs > 0) await new Promise((resolve) => setTimeout(resolve, paceMs))
    },
  }
}

/** Breaks text at spaces so that no line is longer than `width`, unless one word is. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let current = ''
  for (const word of text.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current)
      current = word
    } else {
      current = current === '' ? word : `${current} ${word}`
    }
  }
  lines.push(current)
  return lines
}
