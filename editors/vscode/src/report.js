// What needs no editor: how a result is told, and how the report becomes the page of a panel.

/// Options of `cml check`; those about the output are the server's.
function settings(options) {
  return Array.isArray(options) ? options.filter((word) => typeof word === "string") : [];
}

/// `inconclusive` is no success.
function summaryKind(result) {
  if (result.verdict === "verified") return "information";
  return result.verdict === "inconclusive" ? "warning" : "error";
}

/// The report is one page that fetches nothing; the panel may not, either.
function page(html) {
  const policy =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; " +
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">";
  return /<head[^>]*>/i.test(html) ? html.replace(/<head[^>]*>/i, (head) => head + policy) : policy + html;
}

module.exports = { settings, summaryKind, page };
