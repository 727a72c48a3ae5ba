import { wrapLines } from '@berth/text/wrap-lines'
import { styleText } from 'node:util'

/** Prints the story as plain lines, so that a pipe and a terminal show the same text. */
export interface Narrator {
  /** Prints the title of a chapter. */
  chapter(number: number, total: number, title: string): void
  /** Prints what happens and why. */
  explain(text: string): void
  /** Prints a command that the reader could run. */
  command(text: string): void
  /** Prints a result that was read back from the API server or an app. */
  observed(text: string): void
  /** Prints the output of a program unchanged. */
  output(text: string): void
  /** Shows the progress of a wait after two seconds. Does nothing unless lines can be rewritten. */
  showWaiting(what: string): Disposable
  /** Pauses, so that the reader can follow. */
  pause(): Promise<void>
}

const WIDTH = 80

/** Options of a narrator. */
export interface NarratorOptions {
  readonly write: (text: string) => void
  /** Pause after each chapter. 0 disables it. */
  readonly paceMs: number
  /** Whether lines can be rewritten to show the progress of a wait. */
  readonly isTerminal: boolean
  readonly hasColors: boolean
}

/** Creates a narrator that writes lines of at most 80 columns. */
export function createNarrator({ write, paceMs, isTerminal, hasColors }: NarratorOptions): Narrator {
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    hasColors ? styleText(format, text, { validateStream: false }) : text
  const line = (text: string): void => write(`${text}\n`)
  return {
    chapter(number, total, title) {
      line('')
      line(style('bold', `${number}/${total}  ${title}`))
    },
    explain(text) {
      for (const part of wrapLines(text, WIDTH - 5)) line(`     ${style('dim', part)}`)
    },
    command(text) {
      line(`     ${style('cyan', `$ ${text}`)}`)
    },
    observed(text) {
      const [first = '', ...rest] = wrapLines(text, WIDTH - 7)
      line(`   ${style('green', '✔')} ${first}`)
      for (const part of rest) line(`     ${part}`)
    },
    output(text) {
      for (const part of text.trimEnd().split('\n')) line(`     ${part}`)
    },
    showWaiting(what) {
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
