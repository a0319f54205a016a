startThemeToggle();
startMarks();
startTables();
startCopying();
if (byId("browser")) new DocumentBrowser().start();
