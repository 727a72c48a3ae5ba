/** The commands of a chart's notes, in order: what follows `$ ` on a line of its own. Empty where there are none. */
export function notesCommands(notes: string): readonly string[] {
  return [...notes.matchAll(/^ *\$ (.+)$/gm)].map(([, command = '']) => command.trimEnd())
}
