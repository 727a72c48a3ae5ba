/** Returns a number with its noun: `1 pod`, `2 pods`. For nouns whose plural only adds an s. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
