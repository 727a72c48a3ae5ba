/** Returns the first line that is not blank, without spaces around it; empty if there is none. */
export function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  )
}
