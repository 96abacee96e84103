// How many columns a help text takes, in place of the `string-width` package inside the help layout: that one builds an
// Intl.Segmenter when it is loaded, which costs every command tens of milliseconds. Our help texts are plain.

export default (text: string): number => [...text.replace(/\u001b\[[0-9;]*m/g, '')].length;
