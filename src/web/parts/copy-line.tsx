// A line to copy, with a button that does so where there is script.

export const CopyLine = ({ text }: { text: string }) => (
  <div class="copy">
    <pre class="code">
      <code>{text}</code>
    </pre>
    <button type="button" class="button is-plain" data-copies hidden>
      Copy
    </button>
  </div>
);
