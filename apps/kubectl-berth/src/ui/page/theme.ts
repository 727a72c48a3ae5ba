/** The colours of the page. */
export type Theme = 'light' | 'dark'

const STORED = 'berth-theme'

/** Returns the theme that the user chose, or that of the system. */
export function initialTheme(): Theme {
  const stored = localStorage.getItem(STORED)
  if (stored === 'light' || stored === 'dark') return stored
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Shows a theme. */
export function showTheme(theme: Theme): void {
  if (document.documentElement.dataset['theme'] === theme) return
  document.documentElement.dataset['theme'] = theme
  colors.clear()
}

/** The colours that were asked for since the theme was set: to read them anew makes the browser compute styles. */
const colors = new Map<string, string>()

/** Returns a colour of the shown theme, such as `text`. */
export function themeColor(name: string): string {
  const known = colors.get(name)
  if (known !== undefined) return known
  const color = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
  colors.set(name, color)
  return color
}

/** Keeps a choice for the next visit. */
export function keepTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme)
}
